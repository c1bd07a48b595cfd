import {
  admissionregistrationv1,
  isJsonObject,
  type Json,
  jsonEqual,
  parseTime,
  type Stored,
} from '@kubewright/kube';
import type { Io } from '@kubewright/runtime';
import { ANNOTATIONS } from '../api/annotations.ts';
import { foundIn, readLive } from '../requests/read-live.ts';
import { CHECK_WEBHOOK, CONFIGURATION } from './author-webhooks.ts';

/** Whose rights admission has checked; `unknown`: nobody's, so that nothing is done for the request. */
export type Author =
  | { readonly type: 'checked'; readonly name: string }
  /** `notInstalled`: nobody's rights are checked on this cluster, because its administrator has not installed the webhook. */
  | { readonly type: 'unknown' | 'notInstalled'; readonly message: string };

type Configuration = Stored<admissionregistrationv1.ValidatingWebhookConfiguration>;

/** The recorded author of a request, if the webhook that checks authors was configured when it was created. */
export async function readAuthor(
  request: Stored,
  io: Pick<Io, 'client' | 'signal'>,
  webhook = CHECK_WEBHOOK,
): Promise<Author> {
  const { validatingwebhookconfigurations } = admissionregistrationv1;
  const read = await readLive(io, validatingwebhookconfigurations, { name: CONFIGURATION });
  if (read.type === 'forbidden') return { type: 'unknown', message: read.message };
  return authorOf(request, foundIn(read), webhook);
}

/** Why nothing that deletes may be begun in the name of an author. */
export function authorFault(author: Author | undefined): string | undefined {
  if (author === undefined) return 'its author is not known';
  return author.type === 'checked' ? undefined : author.message;
}

/**
 * Why nothing may be begun that only reads and creates. Where the webhook was never installed (`kubewright manager` outside
 * of the cluster, which no API server calls), whoever may create requests may have them carried out. Only who may delete
 * webhook configurations can bring that about.
 */
export function authorFaultIfInstalled(author: Author | undefined): string | undefined {
  return author?.type === 'notInstalled' ? undefined : authorFault(author);
}

/** Without the webhook anybody could write the annotation: it proves nothing then. */
export function authorOf(
  { metadata }: Stored,
  configuration: Configuration | undefined,
  webhook = CHECK_WEBHOOK,
): Author {
  const name = metadata.annotations?.[ANNOTATIONS.author];
  const isChecked =
    configuration !== undefined &&
    checksAll(configuration, webhook) &&
    isOlder(configuration.metadata, metadata);
  if (isChecked && name !== undefined) return { type: 'checked', name };
  const message = `nobody has checked whether its author may do this: when it was created, ValidatingWebhookConfiguration ${CONFIGURATION} was missing or had been changed; "kubewright install --operators capture" prints it`;
  return { type: configuration === undefined ? 'notInstalled' : 'unknown', message };
}

function isOlder(one: Stored['metadata'], other: Stored['metadata']): boolean {
  const [a, b] = [one.creationTimestamp, other.creationTimestamp];
  return Boolean(a) && Boolean(b) && parseTime(a ?? '') <= parseTime(b ?? '');
}

/** What an administrator may change is the rest: the address, the timeout. */
const PROTECTED = ['rules', 'failurePolicy', 'matchConditions'] as const;

function checksAll({ webhooks = [] }: Configuration, webhook: typeof CHECK_WEBHOOK): boolean {
  const found = webhooks.find(({ name }) => name === webhook.name);
  if (found === undefined || !isEmpty(found.namespaceSelector) || !isEmpty(found.objectSelector))
    return false;
  return PROTECTED.every((field) => jsonEqual((found[field] ?? null) as Json, webhook[field]));
}

function isEmpty(selector: unknown): boolean {
  return (
    selector === undefined || (isJsonObject(selector as Json) && Object.keys(selector as object).length === 0)
  );
}
