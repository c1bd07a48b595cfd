import { fileURLToPath } from 'node:url';
import { type SideProcess, startSide } from '../support/side-process.ts';

const MANAGER = fileURLToPath(new URL('./manager-process.mjs', import.meta.url));

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
  readonly #kubeconfig: string;
  #process: SideProcess;

  private constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
    this.#process = startSide(process.execPath, [MANAGER, kubeconfig]);
  }

  /** Resolves when it works. */
  static async start(kubeconfig: string): Promise<ManagerProcess> {
    const manager = new ManagerProcess(kubeconfig);
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
    this.#process = startSide(process.execPath, [MANAGER, this.#kubeconfig]);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
