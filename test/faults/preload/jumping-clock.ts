// Loaded with `--import` before the product: a wall clock that can be set.
const wall = Date.now;
let offset = Number(process.env.CLOCK_OFFSET_MS ?? 0);

Date.now = () => wall() + offset;

process.on('SIGUSR2', () => {
  offset += Number(process.env.CLOCK_JUMP_MS ?? 0);
});
