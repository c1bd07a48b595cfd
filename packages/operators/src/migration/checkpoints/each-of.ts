/** Makes all calls, one after the other, also after one that rejects; then rejects with the first error. */
export async function eachOf(calls: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const call of calls) await call().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}
