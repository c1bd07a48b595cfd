import { type Clock, systemClock } from '@kubewright/client';
import type { Stored } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import type { CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { RESOURCE_SLICES, type ResourceSlice } from '../api.ts';
import { describeProgress, type SliceProgress, sliceProgress } from './slice-progress.ts';

/** So many objects are named at the end of a wait that was too short, and while it lasts. */
const [NAMED_AT_END, NAMED] = [20, 1];

/**
 * Waits until the operator has brought all objects of a Composition about and deleted what has to go. Rejects with OperatorError
 * `Failed`, which names what is missing.
 */
export async function followApply(
  name: string,
  slices: readonly Stored<ResourceSlice>[],
  timeoutMs: number,
  stage: Pick<CommandStage, 'client' | 'namespace' | 'signal' | 'progress'>,
  clock: Clock = systemClock,
): Promise<void> {
  const { client, namespace, signal, progress } = stage;
  const until = clock.monotonic() + timeoutMs;
  const seen = new Map(slices.map((slice) => [slice.metadata.name, sliceProgress(slice)]));
  const all = (): readonly SliceProgress[] => [...seen.values()];
  for (const slice of seen.keys()) {
    const isDone = (live: Stored<ResourceSlice> | undefined): boolean => {
      if (live === undefined) seen.delete(slice);
      else seen.set(slice, sliceProgress(live));
      progress(describeProgress(all(), NAMED));
      return seen.get(slice)?.isDone ?? true;
    };
    const left = Math.max(0, until - clock.monotonic());
    await waitForObject(client, RESOURCE_SLICES, { namespace, name: slice }, isDone, {
      signal,
      timeoutMs: left,
    }).catch(async (error: unknown) => {
      await lookAgain(seen, stage);
      const text = describeProgress(all(), NAMED_AT_END);
      const isUnseen = all().some((one) => !one.isSeen);
      const message = signal.aborted
        ? `interrupted: ${name} is written, and the operator goes on with it: ${text}`
        : `${name} is not ready: ${text}${isUnseen ? '; is the operator running?' : ''}`;
      throw new OperatorError('Failed', printable(message), { cause: error });
    });
  }
}

/** What was waited for last is not all that is missing. What cannot be read is as it was seen last. */
async function lookAgain(
  seen: Map<string, SliceProgress>,
  { client, namespace, signal }: Pick<CommandStage, 'client' | 'namespace' | 'signal'>,
): Promise<void> {
  if (signal.aborted) return;
  const found = await client.list(RESOURCE_SLICES, { namespace }).catch(() => undefined);
  for (const slice of found?.items ?? [])
    if (seen.has(slice.metadata.name)) seen.set(slice.metadata.name, sliceProgress(slice));
}
