/**
 * Preloaded (`node --import`) into a server of a test: its machine's clock is ahead by `TEST_CLOCK_SHIFT_MS`, or behind
 * where that is negative. The monotonic clock goes on as before, as on a machine whose clock is set wrong.
 */
const shiftMs = Number(process.env.TEST_CLOCK_SHIFT_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (_target, given, newTarget) =>
    Reflect.construct(RealDate, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
