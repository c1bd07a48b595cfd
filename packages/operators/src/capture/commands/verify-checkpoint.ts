import { createHash } from 'node:crypto';
import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { contentOf } from '../export/file-of.ts';
import { readCaptured } from './read-captured.ts';
import { withProgress } from './with-progress.ts';

/**
 * `kubewright capture verify SOURCE`: whether every object of a checkpoint or an export is as it was captured. The
 * digest is that of the objects: equal for a checkpoint and its exports.
 */
export async function verifyCheckpoint(
  { args: [source = ''], terminal }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const hash = createHash('sha256');
  let objects = 0;
  const captured = readCaptured({ source, signal: terminal.signal }, connect);
  for await (const object of withProgress(captured, terminal, 'verified')) {
    hash.update(contentOf(object));
    objects++;
  }
  const sha256 = hash.digest('hex');
  const text = `${objects} objects of ${source} are as they were captured, sha256 ${sha256}\n`;
  terminal.print({ json: { source, objects, sha256 }, text: () => printable(text) });
}
