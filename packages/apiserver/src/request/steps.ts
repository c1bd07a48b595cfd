import type { Clock } from '@kubewright/kube';

/**
 * A computation that may have to wait, and yields the promise that it waits for. One that waits for nothing is
 * done in the turn of the event loop in which it began.
 */
export type Steps<T> = Generator<Promise<unknown>, T, unknown>;

/** Waits within {@link Steps}: `const response = yield* wait(promise)`. */
export function* wait<T>(promise: Promise<T>): Steps<T> {
  return (yield promise) as T;
}

/** Lets others have their turn, where a request has much to do. */
export function* pause(clock: Clock): Steps<void> {
  yield new Promise<void>((resolve) => void clock.after(0, resolve));
}

/** Carries the steps out: a promise only where one of them waits. */
export function carryOut<T>(steps: Steps<T>): T | Promise<T> {
  const first = steps.next();
  return first.done === true ? first.value : carryOn(steps, first.value);
}

async function carryOn<T>(steps: Steps<T>, awaited: Promise<unknown>): Promise<T> {
  let waitsFor = awaited;
  for (;;) {
    // Each step needs the one before it.
    const outcome = await settled(waitsFor);
    const next = 'error' in outcome ? steps.throw(outcome.error) : steps.next(outcome.value);
    if (next.done === true) return next.value;
    waitsFor = next.value;
  }
}

async function settled(promise: Promise<unknown>): Promise<{ value: unknown } | { error: unknown }> {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

/** Goes on with a result, at once where it is there. */
export function whenReady<T, U>(result: T | Promise<T>, go: (value: T) => U): U | Promise<U> {
  return result instanceof Promise ? result.then(go) : go(result);
}
