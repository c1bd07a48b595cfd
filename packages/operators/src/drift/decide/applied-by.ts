import { ANNOTATIONS } from '../api.ts';
import { readAnnotation, textAt } from '../annotations/read-annotation.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import { specOf } from './parent-status.ts';
import type { Facts, Review, ToolRecord } from './review.ts';

/** A write of an object without an owner by the tool that manages it. */
export type Applied = {
  readonly record: ToolRecord;
  /** For people; undefined: it is not known which. */
  readonly revision: string | undefined;
  /** The tool has applied this revision before: it puts back what has been changed since. */
  readonly isCorrection: boolean;
};

/** What a tool is called as a field manager, and the service account that it is installed with. */
const WRITERS: Readonly<Record<string, { readonly managers: readonly string[]; readonly account?: string }>> =
  {
    Kustomization: { managers: ['kustomize-controller'], account: 'kustomize-controller' },
    HelmRelease: { managers: ['helm-controller'], account: 'helm-controller' },
    Application: {
      managers: ['argocd-controller', 'argocd-application-controller'],
      account: 'argocd-application-controller',
    },
    Secret: { managers: ['helm'] },
  };

/**
 * The tool that makes a write, by the marks of the object; undefined: it is somebody else. Whoever writes an object
 * writes its marks too, so these alone say nothing.
 */
export function appliedBy(review: Review, { tools = [] }: Facts): Applied | undefined {
  const record = tools.find((one) => isByTool(review, one));
  if (record === undefined) return undefined;
  const { text, isNew = false } = record.revision ?? {};
  const isAgain = readAnnotation(review.old, ANNOTATIONS.revision) === keyOf(record);
  return { record, revision: text, isCorrection: text !== undefined && (!isNew || isAgain) };
}

/** What is recorded of a write by a tool, so that it is known when it writes the same revision again. */
export function keyOf({ kind, namespace, name, revision }: ToolRecord): string {
  return [kind, `${namespace}/${name}`, revision?.text ?? ''].join(' ');
}

/** People run Helm; the others act as service accounts. */
function isByTool(review: Review, record: ToolRecord): boolean {
  const { managers = [], account } = Object.hasOwn(WRITERS, record.kind) ? (WRITERS[record.kind] ?? {}) : {};
  const { operation, fieldManager = '', user, old } = review;
  // A deletion names no field manager: then the tool is who has written the object before.
  const isManager =
    operation === 'DELETE'
      ? hashesOf(old, ANNOTATIONS.updaters).includes(userHash(user))
      : managers.includes(fieldManager);
  if (!isManager) return false;
  return account === undefined ? record.revision?.isNew === true : isAccount(user, account, record);
}

/**
 * Who writes the status of the tool's object is the tool, and so is the account that the object has it use. Where nobody
 * is known to write its status, the account that the tool is installed with.
 */
function isAccount(user: string, account: string, { namespace, object }: ToolRecord): boolean {
  const [prefix, kind, , name] = user.split(':');
  if (prefix !== 'system' || kind !== 'serviceaccount') return false;
  const own = object && textAt(specOf(object), 'serviceAccountName');
  if (own !== undefined && user === `system:serviceaccount:${namespace}:${own}`) return true;
  const known = hashesOf(object, ANNOTATIONS.controllers);
  return known.length === 0 ? name === account : known.includes(userHash(user));
}
