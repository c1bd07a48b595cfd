import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SideProcess, startSide } from '../support/side-process.ts';

const MANAGER = fileURLToPath(new URL('./manager-process.mjs', import.meta.url));
const PLACE = 'test/shop/manager-process.mjs';

/** Where it ends: as it records a step of a handover, before the server has that, or after. */
export type CrashPoint = {
  readonly when: 'before' | 'after';
  readonly step: string;
  readonly epoch: number;
};

const NOWHERE: CrashPoint = { when: 'before', step: '', epoch: 0 };

/** The manager with the operator, which needs `npm run build`. */
export class ManagerProcess {
  /** How often it has ended as it was told to. */
  crashes = 0;
  readonly #args: readonly string[];
  #process: SideProcess;

  private constructor(args: readonly string[]) {
    this.#args = args;
    this.#process = startSide(process.execPath, args);
  }

  /** Resolves when it works. `checkout`: it is that of another one, which was built. */
  static async start(kubeconfig: string, checkout?: string): Promise<ManagerProcess> {
    const program = checkout === undefined ? MANAGER : join(checkout, PLACE);
    const manager = new ManagerProcess([program, kubeconfig]);
    await manager.memory();
    return manager;
  }

  /** Megabytes. */
  memory(): Promise<{ readonly rss: number; readonly highestRss: number }> {
    return this.#process.ask('memory');
  }

  /** Has it end there, once; then another one takes its place. Without a point it is not to end any more. */
  async crashAt(point: CrashPoint | undefined): Promise<void> {
    await this.#process.ask(JSON.stringify(point ?? NOWHERE));
    if (point !== undefined) void this.#replaceWhenKilled(this.#process);
  }

  async #replaceWhenKilled(old: SideProcess): Promise<void> {
    if ((await old.ended) !== 'SIGKILL') return;
    this.crashes += 1;
    this.#process = startSide(process.execPath, this.#args);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
