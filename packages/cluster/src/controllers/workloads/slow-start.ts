/**
 * Calls `run` with 0 to `count - 1`, in batches that begin with one and double as long as all of a batch succeed: many that
 * would fail alike (a quota, a webhook) cost few calls. Rejects with the first failure, after its batch is over.
 */
export async function slowStart(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  for (let done = 0, size = 1; done < count; done += size, size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, at) => run(done + at));
    const failed = (await Promise.allSettled(batch)).find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}
