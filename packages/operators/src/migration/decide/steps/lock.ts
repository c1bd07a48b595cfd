import { hasFinalizer } from '@kubewright/runtime';
import { FINALIZER } from '../../api.ts';
import { keepName } from '../checkpoint/keep-name.ts';
import { lockedBy, isMarked, sourceOf } from '../source-of.ts';
import { type Context, fail, NEXT, type Turn } from '../turn.ts';

/** Adds the finalizer, and locks the pod against other migrations. */
export function lock(context: Context): Turn {
  const { observed, status } = context;
  const { migration } = observed;
  const pod = sourceOf(observed, status);
  if (pod === undefined) return fail('SourceLost', 'the source pod is gone');
  const holder = lockedBy(observed, pod);
  if (holder !== undefined) return { type: 'reject', reason: 'AlreadyMigrating', message: holder };
  if (!hasFinalizer(migration, FINALIZER))
    return { type: 'act', action: { type: 'addFinalizer', migration } };
  if (!isMarked(pod, migration, 'source')) return { type: 'act', action: { type: 'lock', migration, pod } };
  return keepName(context, pod) ?? NEXT;
}
