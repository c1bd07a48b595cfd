const DAY_MS = 86_400_000;

/** Calls with a clock that is a day ahead, and with other random numbers. Everything else that runs meanwhile has them too. */
export async function withOtherClock<T>(call: () => Promise<T>): Promise<T> {
  const { Date: today } = globalThis;
  const { random } = Math;
  const now = (): number => today.now() + DAY_MS;
  globalThis.Date = new Proxy(today, {
    construct: (target, given: unknown[], as) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, as) as Date,
    apply: () => new today(now()).toString(),
    get: (target, key) => (key === 'now' ? now : (Reflect.get(target, key) as unknown)),
  });
  Math.random = () => (random() + 0.5) % 1;
  try {
    return await call();
  } finally {
    globalThis.Date = today;
    Math.random = random;
  }
}
