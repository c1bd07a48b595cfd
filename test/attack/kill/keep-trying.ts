import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 100;
const PATIENCE_MS = 60_000;

/** Repeats a write that cannot be decided on while the manager is away. */
export async function keepTrying<T>(write: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
    try {
      return await write();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
  }
}
