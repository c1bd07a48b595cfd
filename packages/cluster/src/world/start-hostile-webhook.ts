import type { WebhookCall, WebhookReply } from '@kubewright/apiserver';
import type { Client } from '@kubewright/client';
import {
  admissionregistrationv1,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonEqual,
  parseJson,
  stringifyJson,
} from '@kubewright/kube';
import type { WorldFault } from './world-fault.ts';
import { Instance } from './instance.ts';
import type { Scheduler } from './scheduler.ts';
import type { WebhookNetwork } from './webhook-network.ts';

export type HostileFault = Extract<WorldFault, { readonly type: 'hostile' }>;

/** What a hostile webhook needs of its world. */
export type HostileHost = {
  readonly scheduler: Scheduler;
  readonly webhooks: WebhookNetwork;
  /** Registers it. Writes of its user are admitted unchanged. */
  readonly client: Client;
  readonly username: string;
  note(line: string): void;
};

type Review = {
  readonly uid: string;
  readonly operation: string;
  readonly resource: string;
  readonly subResource: string;
  readonly username: string;
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
};
type Operation = { readonly op: 'add' | 'remove'; readonly path: string; readonly value?: Json };
type Verdict = { readonly patch?: readonly Operation[]; readonly rejects?: true; readonly delayMs?: number };

const RULE = {
  apiGroups: ['*'],
  apiVersions: ['*'],
  resources: ['*/*'],
  operations: ['CREATE', 'UPDATE'],
} as const;
/** Events report the work and are not part of it. */
const IGNORED = new Set(['events']);
/** What undoing takes back of an object's metadata: the rest is the server's. */
const UNDONE = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Registers a foreign mutating webhook for as long as the fault lasts. */
export function startHostileWebhook(fault: HostileFault, host: HostileHost): void {
  const { scheduler, webhooks, client } = host;
  const name = `hostile-${fault.at}`;
  const instance = new Instance(scheduler);
  let left = fault.writes;
  const handle = async (call: WebhookCall): Promise<WebhookReply> => {
    const review = reviewIn(call.body);
    const verdict = left > 0 && isMatched(review, host.username) ? judge(fault, review) : {};
    if (Object.keys(verdict).length > 0) {
      left--;
      const { operation, resource, subResource } = review;
      host.note(`${name} ${fault.effect}: ${operation} ${resource} ${nameIn(review)} ${subResource}`);
    }
    if (verdict.delayMs !== undefined) await pause(instance, verdict.delayMs);
    return replyTo(review, verdict);
  };
  webhooks.serve(`${name}.test`, { instance, handle, isLost: () => undefined, note: () => undefined });
  scheduler.after(fault.at, () => {
    register(client, name).catch(() => undefined);
  });
  scheduler.after(fault.at + fault.ms, () => {
    left = 0;
    client.delete(admissionregistrationv1.mutatingwebhookconfigurations, { name }).catch(() => undefined);
  });
}

async function register(client: Client, name: string): Promise<void> {
  await client.create(admissionregistrationv1.mutatingwebhookconfigurations, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `https://${name}.test/` },
        rules: [RULE],
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
}

function reviewIn(body: Uint8Array): Review {
  const request = at(parseJson(body), 'request');
  return {
    uid: textAt(request, 'uid'),
    operation: textAt(request, 'operation'),
    resource: textAt(at(request, 'resource'), 'resource'),
    subResource: textAt(request, 'subResource'),
    username: textAt(at(request, 'userInfo'), 'username'),
    object: objectAt(request, 'object'),
    oldObject: objectAt(request, 'oldObject'),
  };
}

function isMatched(review: Review, username: string): boolean {
  return review.username !== username && !IGNORED.has(review.resource);
}

function judge({ effect, delayMs }: HostileFault, review: Review): Verdict {
  if (effect === 'reject') return { rejects: true };
  if (effect === 'delay') return { delayMs };
  const { object, oldObject } = review;
  if (object === undefined || oldObject === undefined) return {};
  const patch = PATCHES[effect](object, oldObject);
  return patch.length === 0 ? {} : { patch };
}

const PATCHES = { undo: undoing, strip: stripping, change: changing } as const;

function at(object: Json | undefined, key: string): Json | undefined {
  return isJsonObject(object) ? object[key] : undefined;
}

function textAt(object: Json | undefined, key: string): string {
  const value = at(object, key);
  return typeof value === 'string' ? value : '';
}

function objectAt(object: Json | undefined, key: string): JsonObject | undefined {
  const value = at(object, key);
  return isJsonObject(value) ? value : undefined;
}

/** The object as it was before the write. */
function undoing(object: JsonObject, old: JsonObject): readonly Operation[] {
  const keys = [...new Set([...Object.keys(object), ...Object.keys(old)])].filter(
    (key) => key !== 'metadata',
  );
  return [
    ...keys.flatMap((key) => setting(`/${key}`, object[key], old[key])),
    ...UNDONE.flatMap((key) =>
      setting(`/metadata/${key}`, at(object['metadata'], key), at(old['metadata'], key)),
    ),
  ];
}

/** Without the annotations and finalizers that the write adds. */
function stripping(object: JsonObject, old: JsonObject): readonly Operation[] {
  const [now, before] = [at(object['metadata'], 'finalizers'), at(old['metadata'], 'finalizers')];
  const kept = finalizersIn(now).filter((one) => finalizersIn(before).includes(one));
  return [
    ...mapped(object, old, (_value, known) => known),
    ...(now === undefined ? [] : setting('/metadata/finalizers', now, kept)),
  ];
}

function finalizersIn(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}

/** With other values for the annotations that the write adds or changes. */
function changing(object: JsonObject, old: JsonObject): readonly Operation[] {
  return mapped(object, old, () => 'changed');
}

function mapped(
  object: JsonObject,
  old: JsonObject,
  map: (value: Json, before: Json | undefined) => Json | undefined,
): readonly Operation[] {
  const [now, before] = [at(object['metadata'], 'annotations'), at(old['metadata'], 'annotations')];
  if (!isJsonObject(now)) return [];
  const entries = Object.entries(now).flatMap(([key, value]) => {
    const known = at(before, key);
    const wanted = jsonEqual(value, known) ? value : map(value, known);
    return wanted === undefined ? [] : [[key, wanted] as const];
  });
  return setting('/metadata/annotations', now, Object.fromEntries(entries));
}

function setting(path: string, from: Json | undefined, to: Json | undefined): readonly Operation[] {
  if (jsonEqual(from ?? null, to ?? null)) return [];
  return to === undefined ? [{ op: 'remove', path }] : [{ op: 'add', path, value: to }];
}

function nameIn({ object, oldObject }: Review): string {
  const metadata = at(object ?? oldObject, 'metadata');
  return textAt(metadata, 'name') || textAt(metadata, 'generateName');
}

function pause(instance: Instance, ms: number): Promise<void> {
  return new Promise((resolve) => {
    instance.after(ms, resolve);
  });
}

function replyTo({ uid }: Review, { patch, rejects }: Verdict): WebhookReply {
  const response = {
    uid,
    allowed: rejects !== true,
    ...(rejects === true ? { status: { code: 403, message: 'not today' } } : {}),
    ...(patch === undefined
      ? {}
      : {
          patchType: 'JSONPatch',
          patch: Buffer.from(stringifyJson(patch)).toString('base64'),
        }),
  };
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
  return { status: 200, contentType: 'application/json', body: Buffer.from(stringifyJson(review)) };
}
