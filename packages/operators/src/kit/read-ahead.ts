/**
 * Yields the results in the order of the items, with up to `ahead` calls under way. When one fails, it waits for those that
 * are still under way: what they do is done before anybody hears of it.
 */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  read: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const pending: Promise<R>[] = [];
  try {
    for await (const item of items) {
      const result = read(item);
      // It is awaited later, or never when the caller stops.
      result.catch(() => undefined);
      pending.push(result);
      if (pending.length < ahead) continue;
      const first = pending.shift();
      if (first !== undefined) yield await first;
    }
    for (const result of pending) yield await result;
  } catch (error) {
    await Promise.allSettled(pending);
    throw error;
  }
}
