// Runs in the page. Returns a line for each obstacle to people with impaired sight or motor control.
(() => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} px wide and must be scrolled`);
  if (document.querySelectorAll('h1').length !== 1) found.push('there is not exactly one h1');
  if (!/^(es-CL|en)$/.test(root.lang)) found.push(`lang is ${root.lang}`);

  for (const element of document.querySelectorAll('a, button')) {
    if (!element.checkVisibility()) continue;
    const { width, height } = element.getBoundingClientRect();
    if (width < 44 || height < 44) found.push(`${element.textContent.trim()} is ${width} x ${height} px`);
  }
  for (const image of document.querySelectorAll('img')) {
    if (!image.hasAttribute('alt')) found.push(`${image.src} has no alt`);
    if (image.naturalWidth === 0) found.push(`${image.src} is not shown`);
  }

  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  if (canvas === null) throw new Error('no canvas');
  const rgbOf = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const backgroundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = rgbOf(getComputedStyle(at).backgroundColor);
      if (color[3] === 255) return color;
    }
    return [255, 255, 255, 255];
  };
  for (const element of document.body.querySelectorAll('*')) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
    if (!own || !element.checkVisibility()) continue;
    const text = luminance(rgbOf(getComputedStyle(element).color));
    const paper = luminance(backgroundOf(element));
    const contrast = (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
    if (contrast < 4.5) found.push(`${element.textContent.trim()} has a contrast of ${contrast.toFixed(2)}`);
  }
  return found;
})();
