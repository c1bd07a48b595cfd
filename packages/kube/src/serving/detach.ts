/**
 * Does work that nobody awaits: what an event or a request begins. Whatever it throws or rejects with is given to `failed`
 * and goes no further, for a rejection that nobody handles, and an error that a listener throws, end the process.
 */
export function detach(work: () => unknown, failed: (error: unknown) => void): void {
  const end = (error: unknown): void => {
    try {
      failed(error);
    } catch {
      // A report that cannot be made is not worth the process.
    }
  };
  try {
    const result = work();
    if (result instanceof Promise) result.catch(end);
  } catch (error) {
    end(error);
  }
}
