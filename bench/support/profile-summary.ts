/** The profile that V8 writes with `--cpu-prof`; times in microseconds. */
export type CpuProfile = {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[];
  samples: number[];
  timeDeltas: number[];
};

export type Share = { name: string; share: number };

/** The busy time of the main thread, in shares. */
export type ProfileSummary = { areas: Share[]; functions: Share[] };

/**
 * Summarises a profile. `functions`: by function, with native functions counted to their callers. `areas`: by part of
 * the repository, package or module of Node.js. The time before the first request and `warmUpMs` after it is left out.
 */
export function summarizeProfile(profile: CpuProfile, warmUpMs: number): ProfileSummary {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)),
  );
  const functions = new Map<string, number>();
  const areas = new Map<string, number>();
  let busy = 0;
  let sinceFirstRequest = 0;
  for (const [at, sample] of profile.samples.entries()) {
    const time = profile.timeDeltas[at] as number;
    if (sinceFirstRequest > 0 || isRequest(sample)) sinceFirstRequest += time;
    const owner = sinceFirstRequest > warmUpMs * 1000 ? ownerOf(sample) : null;
    if (owner === null) continue;
    busy += time;
    functions.set(owner.name, (functions.get(owner.name) ?? 0) + time);
    areas.set(owner.area, (areas.get(owner.area) ?? 0) + time);
  }
  const sorted = (times: Map<string, number>) =>
    [...times].map(([name, time]) => ({ name, share: time / busy })).sort((one, other) => other.share - one.share);
  return { areas: sorted(areas), functions: sorted(functions) };

  function isRequest(sample: number): boolean {
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      if (nodes.get(id)?.callFrame.functionName === 'parserOnIncoming') return true;
    }
    return false;
  }

  /** Returns the nearest function with a file, from the running one towards its callers. Null: the thread waits. */
  function ownerOf(sample: number): { name: string; area: string } | null {
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const { functionName, url, lineNumber } = (nodes.get(id) as CpuProfile['nodes'][number]).callFrame;
      if (functionName === '(idle)') return null;
      if (functionName === '(program)' || functionName === '(garbage collector)')
        return { name: functionName, area: functionName };
      if (url !== '')
        return { name: `${functionName || 'anonymous'}, ${placeOf(url)}:${lineNumber + 1}`, area: areaOf(url) };
    }
    return null;
  }
}

function placeOf(url: string): string {
  return url.replace(/^file:\/\/.*?\/(?=(?:src|sdk|protocol|node_modules)\/)/, '').replace(/^node_modules\//, '');
}

function areaOf(url: string): string {
  const place = placeOf(url);
  if (/^(?:src|sdk|protocol)\//.test(place)) return place.replace(/\.ts$/, '');
  if (place.startsWith('node:')) return nodeArea(place);
  return (/^(?:@[^/]+\/)?[^/]+/.exec(place) ?? ['other'])[0];
}

function nodeArea(place: string): string {
  if (/http/.test(place)) return 'Node.js: HTTP';
  if (/stream|net/.test(place)) return 'Node.js: sockets and streams';
  if (/crypto/.test(place)) return 'Node.js: hashing';
  return 'Node.js: the rest';
}
