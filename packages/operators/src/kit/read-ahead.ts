/** Yields the results in the order of the items, with up to `ahead` calls under way. */
export async function* readAhead<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  read: (item: T) => Promise<R>,
): AsyncGenerator<R, void> {
  const pending: Promise<R>[] = [];
  for await (const item of items) {
    const result = read(item);
    // It is awaited later, or never when an earlier one fails.
    result.catch(() => undefined);
    pending.push(result);
    if (pending.length < ahead) continue;
    const first = pending.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of pending) yield await result;
}
