import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the programs of Debian's package containerd are here. */
export const hasContainerd: boolean = spawnSync('ctr', ['--version']).status === 0;

export type Containerd = {
  /** Runs `ctr` in the namespace of kubelets; throws with what it printed where it fails. */
  readonly ctr: (...args: readonly string[]) => string;
  readonly stop: () => void;
};

/** Starts containerd with all its data in `folder`; resolves when it responds. */
export async function startContainerd(folder: string): Promise<Containerd> {
  mkdirSync(folder);
  const [root, state, address] = ['root', 'state', 'socket'].map((name) =>
    JSON.stringify(join(folder, name)),
  );
  const config = join(folder, 'config.toml');
  writeFileSync(
    config,
    `version = 2\nroot = ${root}\nstate = ${state}\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = ${address}\n`,
  );
  const child: ChildProcess = spawn('containerd', ['-c', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    let log = '';
    child.stderr?.on('data', (text: Buffer) => {
      log += text.toString();
      if (log.includes('successfully booted')) resolve();
    });
    child.once('close', () => reject(new RangeError(`containerd ended:\n${log}`)));
  });
  return {
    ctr(...args) {
      const line = ['--address', join(folder, 'socket'), '--namespace', 'k8s.io', ...args];
      const { status, stdout, stderr } = spawnSync('ctr', line, { encoding: 'utf8' });
      if (status !== 0) throw new RangeError(`ctr ${args.join(' ')}: ${stderr}`);
      return stdout;
    },
    stop: () => void child.kill('SIGTERM'),
  };
}
