import { ApiError, type Client } from '@kubewright/client';
import { defined, type JsonObject, type Stored } from '@kubewright/kube';
import { type Composition, GROUP, type Synthesis } from '../api.ts';
import type { Synthesizer, SynthesizerSpec } from './synthesizers.ts';

/** The objects that a synthesizer gets, or why they are not there. */
export type Inputs =
  | {
      readonly ok: true;
      readonly items: readonly JsonObject[];
      readonly revisions: NonNullable<Synthesis['inputRevisions']>;
    }
  | { readonly ok: false; readonly message: string };

type Ref = NonNullable<SynthesizerSpec['refs']>[number];
type Target = { readonly namespace?: string; readonly name: string };

/**
 * Reads the inputs of a Composition. What its author binds is of its own namespace, and no Secret: the objects become part of
 * manifests that whoever reads slices can read.
 */
export async function readInputs(
  composition: Stored<Composition>,
  { spec }: Synthesizer,
  client: Client,
  signal: AbortSignal,
): Promise<Inputs> {
  const items: JsonObject[] = [];
  const revisions: NonNullable<Synthesis['inputRevisions']>[number][] = [];
  for (const ref of spec?.refs ?? []) {
    const target = targetOf(ref, composition);
    if (typeof target === 'string') return { ok: false, message: `input ${ref.key}: ${target}` };
    const object = await read(ref, target, client, signal);
    if (typeof object === 'string') return { ok: false, message: `input ${ref.key}: ${object}` };
    items.push(inputOf(ref.key, object));
    revisions.push({ key: ref.key, ...revisionOf(object) });
  }
  return { ok: true, items, revisions };
}

function targetOf({ key, resource }: Ref, composition: Stored<Composition>): Target | string {
  const { group = '', kind, name, namespace } = resource;
  if (group === '' && kind === 'Secret') return 'a Secret cannot be an input';
  return name === undefined ? boundTarget(key, composition) : { name, ...defined({ namespace }) };
}

function boundTarget(key: string, { metadata, spec }: Stored<Composition>): Target | string {
  const bound = spec?.bindings?.find((binding) => binding.key === key)?.resource;
  if (bound === undefined) return 'spec.bindings has no such key';
  const own = metadata.namespace;
  if ((bound.namespace ?? own) !== own) return `only objects of the namespace ${own} can be bound`;
  return { name: bound.name, namespace: own };
}

async function read(
  { resource }: Ref,
  target: Target,
  client: Client,
  signal: AbortSignal,
): Promise<Stored | string> {
  const { group = '', version = 'v1', kind } = resource;
  try {
    return await client.get({ group, version, kind }, target, { signal });
  } catch (error) {
    if (error instanceof ApiError && !error.retryable) return error.message;
    throw error;
  }
}

/** With the annotation by which functions of the original find an input. */
function inputOf(key: string, object: Stored): JsonObject {
  const { managedFields: _ownership, annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [`${GROUP}/input-key`]: key } },
  };
}

/** The generation where a kind has one, so that a changing status synthesizes nothing. */
function revisionOf({
  metadata,
}: Stored): { readonly revision: number } | { readonly resourceVersion: string } {
  const { generation, resourceVersion } = metadata;
  return generation === undefined ? { resourceVersion } : { revision: generation };
}
