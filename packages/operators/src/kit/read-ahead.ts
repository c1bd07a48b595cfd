/** What calls under way may hold together. */
type Bound<T> = { readonly most: number; readonly weightOf: (item: T) => number };

/**
 * Yields the results in the order of the items, with up to `ahead` calls under way, and no more than `bound` allows, but
 * for one item that is above it alone. When one fails, it waits for those that are still under way: what they do is done
 * before anybody hears of it.
 */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  read: (item: T) => Promise<R>,
  bound: Bound<T> = { most: 0, weightOf: () => 0 },
): AsyncGenerator<R, void> {
  const pending: { readonly result: Promise<R>; readonly weight: number }[] = [];
  let held = 0;
  try {
    for await (const item of items) {
      const weight = bound.weightOf(item);
      const isFull = (): boolean => pending.length >= ahead || held + weight > bound.most;
      for (let first = pending[0]; first !== undefined && isFull(); first = pending[0]) {
        yield await first.result;
        pending.shift();
        held -= first.weight;
      }
      const result = read(item);
      // It is awaited later, or never when the caller stops.
      result.catch(() => undefined);
      pending.push({ result, weight });
      held += weight;
    }
    for (const { result } of pending) yield await result;
  } catch (error) {
    await Promise.allSettled(pending.map(({ result }) => result));
    throw error;
  }
}
