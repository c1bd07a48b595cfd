import { mirrorName } from '../../mirror-name.ts';
import { type Context, next, type Turn } from '../turn.ts';

/** A handover to the pod of the StatefulSet, from the pod that has the state, with a new epoch and new queues. */
export function nextHandover({ observed: { migration }, handover }: Context): Turn {
  const epoch = handover.epoch + 1;
  const holder = handover.committed ? handover.to : handover.from;
  return next({
    handover: {
      epoch,
      from: holder,
      to: { pod: migration.spec.sourcePod },
      mirror: mirrorName(migration, epoch),
      committed: false,
    },
  });
}
