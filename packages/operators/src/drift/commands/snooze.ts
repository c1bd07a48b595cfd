import { systemClock } from '@kubewright/client';
import { defined, formatTime, type JsonObject, stringifyJson } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { parseDuration } from '../../kit/parse-duration.ts';
import { OperatorError } from '../../operator-error.ts';
import { ANNOTATIONS } from '../api.ts';
import { annotateOwner } from './annotate-owner.ts';

/** Longer than this, nobody remembers why it is quiet. */
const LONGEST_MS = 30 * 24 * 3_600_000;

/** `kubewright drift snooze KIND/NAME --for 8h`. */
export async function snooze(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const { for: length = '1h', reason } = options;
  const ms = parseDuration(length);
  if (ms === undefined || ms < 0 || ms > LONGEST_MS)
    throw new OperatorError('Usage', '--for is a time up to 720h, such as 30m or 8h; 0 ends the snooze');
  const stage = await connect();
  const expiry = formatTime(new Date(systemClock.now() + ms));
  const value = ms === 0 ? null : stringifyJson(defined({ expiry, message: reason }) as JsonObject);
  const { kind, metadata } = await annotateOwner(target, stage, { [ANNOTATIONS.snooze]: value });
  const what =
    ms === 0
      ? 'is no longer snoozed'
      : `is snoozed until ${expiry}: drift is decided as before, without Events and reports`;
  stage.out(`${kind} ${metadata.name} ${what}\n`);
}
