import type { Terminal } from '../terminal.ts';
import { BINARIES, helpOf } from './binaries.ts';
import type { BinaryName } from './binary-names.ts';
import { readGoFlags } from './read-go-flags.ts';

/** Runs what a launcher of `kubewright envtest` stands for, with the flags of the real program. */
export async function runBinary(
  name: BinaryName,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const { flags, version } = BINARIES[name];
  const given = readGoFlags(args, flags);
  if (given.last('help') !== undefined) return terminal.out(helpOf(name));
  if (given.last('version') !== undefined) return terminal.out(`${version}\n`);
  // Each without what the other needs: suites wait for both.
  if (name === 'etcd') return await (await import('./run-etcd.ts')).runEtcd(given, terminal);
  return await (await import('./run-kube-apiserver.ts')).runKubeApiserver(given, terminal);
}
