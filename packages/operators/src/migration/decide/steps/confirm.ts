import { consumersOf } from '../checkpoint/hold.ts';
import { commandPod, isReport } from '../command-pod.ts';
import { isOfProcess } from '../../process-queues.ts';
import { type Context, NEXT, type Turn, wait } from '../turn.ts';
import { resumeWithState } from './catch-up.ts';

/** The process that took over responds. Of a node that lost its power the cluster hears only after a while. */
export function confirm(context: Context): Turn {
  const { status, handover } = context;
  const { pod, uid } = handover.to;
  const message = `waiting for pod ${pod} to consume the queue`;
  if (isOfProcess(status)) return consumersOf(context) > 0 ? NEXT : wait(message);
  // Changes nothing where it runs.
  const given = commandPod(context, { uid, number: 'confirm', command: resumeWithState(context) });
  if (!isReport(given)) return given;
  return given.mode === 'running' ? NEXT : wait(message);
}
