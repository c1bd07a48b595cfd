import { type Client, ignoreNotFound, type ResourceRef } from '@kubewright/client';
import {
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
} from '@kubewright/kube';
import { joinPath, splitPath, type WebhookPath } from '../path-segment.ts';
import type { Route } from './plan-segments.ts';

/** A reference to an object with a `caBundle`: by which the API server verifies the webhook server. */
export type WebhookConfigurationRef = {
  readonly kind:
    | 'MutatingWebhookConfiguration'
    | 'ValidatingWebhookConfiguration'
    | 'CustomResourceDefinition'
    | 'APIService';
  readonly name: string;
  /**
   * The path of each webhook, by its name: for those that name a Service and no path, so that whoever applies the
   * configuration does not own the path, which changes with its segment.
   */
  readonly paths?: Readonly<Record<string, string>>;
};

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };

export const CONFIGURATION_RESOURCES: Readonly<Record<WebhookConfigurationRef['kind'], ResourceRef>> = {
  MutatingWebhookConfiguration: {
    ...ADMISSION,
    resource: 'mutatingwebhookconfigurations',
    kind: 'MutatingWebhookConfiguration',
  },
  ValidatingWebhookConfiguration: {
    ...ADMISSION,
    resource: 'validatingwebhookconfigurations',
    kind: 'ValidatingWebhookConfiguration',
  },
  CustomResourceDefinition: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    namespaced: false,
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
  },
  APIService: {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    namespaced: false,
    resource: 'apiservices',
    kind: 'APIService',
  },
};

/** One webhook in a configuration, or what else has a `caBundle`. */
type Place = {
  /** JSON pointer of the object with the caBundle. */
  readonly at: string;
  /** Before base64; empty where there is none. */
  readonly caBundle: string;
  /** Where API servers call it; undefined: it names no path. */
  readonly called: CalledPath | undefined;
  /** Whether the path gets a segment. Everybody may read a CustomResourceDefinition, and its webhook converts what it is given. */
  readonly isSecret: boolean;
};

type CalledPath = WebhookPath & {
  /** Of the field with the path, relative to the place. */
  readonly field: 'url' | 'service/path';
  /** Of a URL: what is before the path. */
  readonly origin: string;
  /** It is not in the configuration yet: API servers call the root. */
  readonly isMissing?: true;
};

/** A configuration as it was read. */
export type ReadConfiguration = {
  readonly ref: WebhookConfigurationRef;
  readonly resourceVersion: string;
  readonly places: readonly Place[];
};

/** Undefined: there is no such object. */
export async function readConfiguration(
  client: Client,
  ref: WebhookConfigurationRef,
  signal: AbortSignal,
): Promise<ReadConfiguration | undefined> {
  const { kind, name } = ref;
  const object = await ignoreNotFound(client.get(CONFIGURATION_RESOURCES[kind], { name }, { signal }));
  if (object === undefined) return undefined;
  return { ref, resourceVersion: object.metadata.resourceVersion, places: placesOf(ref, object) };
}

function placesOf({ kind, paths = {} }: WebhookConfigurationRef, object: KubeObject): readonly Place[] {
  const from: Json = object;
  if (kind === 'CustomResourceDefinition')
    return placeAt(from, ['spec', 'conversion', 'webhook', 'clientConfig'], false);
  if (kind === 'APIService') return placeAt(from, ['spec'], false);
  const webhooks = at(from, 'webhooks');
  if (!isJsonArray(webhooks)) return [];
  const declared = new Map<Json | undefined, string>(Object.entries(paths));
  return webhooks.flatMap((webhook, index) => {
    const path = declared.get(at(webhook, 'name'));
    return placeAt(from, ['webhooks', String(index), 'clientConfig'], true, path);
  });
}

/** Without a `clientConfig` there is no webhook to call. */
function placeAt(from: Json, steps: readonly string[], isSecret: boolean, path?: string): readonly Place[] {
  const client = steps.reduce<Json | undefined>(at, from);
  if (!isJsonObject(client)) return [];
  const encoded = getOwn(client, 'caBundle');
  const caBundle = typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString() : '';
  return [{ at: `/${steps.join('/')}`, caBundle, called: calledPath(client, path), isSecret }];
}

function calledPath(client: JsonObject, declared: string | undefined): CalledPath | undefined {
  const url = getOwn(client, 'url');
  if (typeof url === 'string') return pathOfUrl(url);
  const service = getOwn(client, 'service');
  const path = at(service, 'path');
  if (typeof path === 'string' && path !== '')
    return { ...splitPath(path), field: 'service/path', origin: '' };
  if (declared === undefined || !isJsonObject(service)) return undefined;
  return { base: declared, segment: undefined, field: 'service/path', origin: '', isMissing: true };
}

function pathOfUrl(url: string): CalledPath | undefined {
  const [, origin = '', path = ''] = /^(https:\/\/[^/]*)(.*)$/.exec(url) ?? [];
  return origin === '' ? undefined : { ...splitPath(path === '' ? '/' : path), field: 'url', origin };
}

/** The paths in a configuration, for the plan. */
export function routesOf({ places }: ReadConfiguration): readonly Route[] {
  return places.flatMap(({ called, caBundle, isSecret }) =>
    isSecret && called !== undefined ? [routeOf(caBundle, called)] : [],
  );
}

function routeOf(caBundle: string, { segment, isMissing }: CalledPath): Route {
  return { segment, isCalled: isMissing !== true && caBundle.trim() !== '' };
}

/** The paths that API servers call without a segment. */
export function barePaths({ places }: ReadConfiguration): readonly string[] {
  return places.flatMap(({ caBundle, called }) =>
    called !== undefined && called.segment === undefined && routeOf(caBundle, called).isCalled
      ? [called.base]
      : [],
  );
}

function at(from: Json | undefined, step: string): Json | undefined {
  if (isJsonArray(from)) return from[Number(step)];
  return isJsonObject(from) ? getOwn(from, step) : undefined;
}

/**
 * Writes the caBundles and segments that differ, and nothing else. Guarded by the resourceVersion: rejects with a conflict
 * when the configuration has changed since, because another replica may have written a newer bundle.
 *
 * @param wanted the segment of a path; undefined: it stays as it is
 */
export async function writeConfiguration(
  client: Client,
  { ref, resourceVersion, places }: ReadConfiguration,
  caBundle: string,
  wanted: (route: Route) => string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const changes = places.flatMap((place) => [
    ...caBundleChange(place, caBundle),
    ...segmentChange(place, wanted),
  ]);
  if (changes.length === 0) return;
  const guard = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion };
  const { kind, name } = ref;
  await client.patch(
    CONFIGURATION_RESOURCES[kind],
    { name },
    { type: 'json', body: [guard, ...changes] },
    { signal },
  );
}

type Change = { readonly op: 'add'; readonly path: string; readonly value: string };

function caBundleChange(place: Place, caBundle: string): readonly Change[] {
  const value = Buffer.from(caBundle).toString('base64');
  return place.caBundle === caBundle ? [] : [{ op: 'add', path: `${place.at}/caBundle`, value }];
}

function segmentChange(
  { at: place, caBundle, called, isSecret }: Place,
  wanted: (route: Route) => string | undefined,
): readonly Change[] {
  if (called === undefined || !isSecret) return [];
  const segment = wanted(routeOf(caBundle, called));
  if (segment === undefined || segment === called.segment) return [];
  const { base, field, origin } = called;
  return [{ op: 'add', path: `${place}/${field}`, value: `${origin}${joinPath({ base, segment })}` }];
}
