import { isJsonArray, isJsonObject, type KubeObject } from '@kubewright/kube';
import { fieldErrors, formatFieldError } from '@kubewright/kube/validation';
import { ANNOTATIONS, LABEL_PREFIX } from '../api.ts';
import { jsonOf, MOST_BYTES, MOST_ENTRIES, readAnnotation } from '../annotations/read-annotation.ts';
import { LABEL_LIMITS } from '../annotations/trace-of.ts';
import { type Annotations, isForPeople } from './annotations-for-people.ts';

/**
 * Why the annotations for people that a write would store are too many or too long, and what to do; undefined: they are
 * not. What the write leaves as it is was accepted before, and is not read.
 */
export function exceededLimit(old: KubeObject | undefined, stored: Annotations): string | undefined {
  const changed = Object.keys(stored).filter(
    (key) => isForPeople(key) && stored[key] !== readAnnotation(old, key),
  );
  for (const key of changed) {
    const problem = isLabel(key) ? longLabel(key, stored) : longValue(key, stored[key] ?? '');
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isLabel = (key: string): boolean => key.startsWith(LABEL_PREFIX);
const fieldOf = (key: string): string => `metadata.annotations[${key}]`;

function longLabel(key: string, stored: Annotations): string | undefined {
  const labels = Object.keys(stored).filter(isLabel).length;
  if (labels > LABEL_LIMITS.labels) {
    const error = fieldErrors.tooMany(fieldOf(`${LABEL_PREFIX}*`), labels, LABEL_LIMITS.labels);
    return `${formatFieldError(error)}; remove labels of the trace that are not needed`;
  }
  if ((stored[key] ?? '').length <= LABEL_LIMITS.characters) return undefined;
  const error = fieldErrors.tooLongCharacters(fieldOf(key), LABEL_LIMITS.characters);
  return `${formatFieldError(error)}; write where the rest is to be found`;
}

const ADVICE: Readonly<Record<string, string>> = {
  [ANNOTATIONS.approvals]:
    'remove approvals that are used or expired, name many objects with "*", or write an ApprovalPolicy',
  [ANNOTATIONS.rejections]: 'remove rejections that are over, or name many objects with "*"',
  [ANNOTATIONS.freeze]: 'a tree names only what the brake froze',
};

function longValue(key: string, text: string): string | undefined {
  const advice = ADVICE[key] ?? 'shorten it';
  if (text.length > MOST_BYTES)
    return `${formatFieldError(fieldErrors.tooLong(fieldOf(key), MOST_BYTES))}; ${advice}`;
  const entries = ADVICE[key] === undefined ? 0 : entriesIn(text);
  return entries > MOST_ENTRIES
    ? `${formatFieldError(fieldErrors.tooMany(fieldOf(key), entries, MOST_ENTRIES))}; ${advice}`
    : undefined;
}

/** The length of a list, or of the tree of a freeze. */
function entriesIn(text: string): number {
  const json = jsonOf(text);
  const list = isJsonObject(json) ? json['tree'] : json;
  return isJsonArray(list) ? list.length : 0;
}
