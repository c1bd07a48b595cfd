import { type Condition, formatTime, setCondition } from '@kubewright/kube';
import type { Author } from './read-author.ts';

/** A status that says that nobody has checked what the author of the request may do. The request is carried out all the same. */
export function withAuthorCondition<S extends { readonly conditions?: readonly Condition[] }>(
  status: S,
  author: Author | undefined,
  now: Date,
): S {
  if (author?.type !== 'notInstalled') return status;
  const { message } = author;
  const unchecked = { type: 'AuthorChecked', status: 'False', reason: 'NotInstalled', message } as const;
  return { ...status, conditions: setCondition(status.conditions ?? [], unchecked, formatTime(now)) };
}
