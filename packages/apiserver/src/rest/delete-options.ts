import {
  defined,
  errorText,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
} from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { badRequest, invalid } from '../api-server-error.ts';
import { bodyFormat, parseAs } from './body.ts';
import type { ResourceRequest } from './resource-request.ts';
import { booleanParameter, dryRunErrors, integerParameter, notSupported } from './write-options.ts';

/** `DeleteOptions`, from the body or, where there is none, from the query. */
export type DeleteOptions = {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** As admission sees them. */
  readonly asObject: () => JsonObject;
};

const POLICIES = ['Foreground', 'Background', 'Orphan'];

export function deleteOptions(request: ResourceRequest): DeleteOptions {
  return deleteOptionsFrom(request.body.length > 0 ? fromBody(request) : fromQuery(request.query));
}

/** From the fields of `DeleteOptions`, which have the right types. */
export function deleteOptionsFrom(raw: Raw): DeleteOptions {
  const dryRun = strings(raw['dryRun']);
  const policy = raw['propagationPolicy'];
  const orphan = raw['orphanDependents'];
  const errors = [...policyErrors(policy, orphan), ...dryRunErrors(dryRun)];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const preconditions = isJsonObject(raw['preconditions']) ? raw['preconditions'] : {};
  const grace = raw['gracePeriodSeconds'];
  return {
    dryRun: dryRun.length > 0,
    // Before there were bounds: less than nothing is a second.
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace < 0 ? 1 : grace } : {}),
    ...(typeof policy === 'string' ? { propagationPolicy: policy } : {}),
    ...(typeof orphan === 'boolean' ? { orphanDependents: orphan } : {}),
    ...textField(preconditions, 'uid'),
    ...textField(preconditions, 'resourceVersion'),
    asObject: () => optionsObject(raw, dryRun),
  };
}

function optionsObject(raw: Raw, dryRun: readonly string[]): JsonObject {
  const { dryRun: _, ...fields } = raw;
  const kind = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
  return { ...kind, ...defined(fields), ...(dryRun.length === 0 ? {} : { dryRun }) };
}

function textField(
  object: JsonObject,
  key: 'uid' | 'resourceVersion',
): { uid?: string; resourceVersion?: string } {
  const value = getOwn(object, key);
  return typeof value === 'string' ? { [key]: value } : {};
}

type Raw = Readonly<Record<string, Json | undefined>>;

function fromBody({ body, header }: ResourceRequest): Raw {
  const format = bodyFormat(header('content-type'));
  let value: Json;
  try {
    value = parseAs(format, body, false).value;
  } catch (error) {
    const why = errorText(error);
    throw badRequest(
      error instanceof KubeError ? `couldn't get version/kind; json parse error: ${why}` : why,
    );
  }
  if (!isJsonObject(value)) throw badRequest('decoded object cannot be converted to DeleteOptions');
  const kind = getOwn(value, 'kind') ?? 'DeleteOptions';
  if (kind !== 'DeleteOptions' && kind !== '') {
    const apiVersion = getOwn(value, 'apiVersion');
    const version = typeof apiVersion === 'string' ? apiVersion : '';
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  checkTypes(value, FIELD_TYPES, 'DeleteOptions.');
  const preconditions = getOwn(value, 'preconditions');
  if (isJsonObject(preconditions))
    checkTypes(preconditions, PRECONDITION_TYPES, 'Preconditions.preconditions.');
  return Object.fromEntries(Object.keys(FIELD_TYPES).map((key) => [key, getOwn(value, key)]));
}

type TypeCheck = { readonly go: string; readonly is: (value: Json) => boolean };
const isText = (value: Json): boolean => typeof value === 'string';

const FIELD_TYPES: Readonly<Record<string, TypeCheck>> = {
  gracePeriodSeconds: { go: 'int64', is: Number.isInteger },
  preconditions: { go: 'v1.Preconditions', is: isJsonObject },
  orphanDependents: { go: 'bool', is: (value) => typeof value === 'boolean' },
  propagationPolicy: { go: 'v1.DeletionPropagation', is: isText },
  dryRun: { go: '[]string', is: isJsonArray },
};
const PRECONDITION_TYPES: Readonly<Record<string, TypeCheck>> = {
  uid: { go: 'types.UID', is: isText },
  resourceVersion: { go: 'string', is: isText },
};

/** Throws the error of Go's JSON decoder for a field of the wrong type. */
function checkTypes(object: JsonObject, types: Readonly<Record<string, TypeCheck>>, path: string): void {
  for (const [key, { go, is }] of Object.entries(types)) {
    const value = getOwn(object, key) ?? null;
    if (value === null || is(value)) continue;
    throw badRequest(
      `json: cannot unmarshal ${goKind(value)} into Go struct field ${path}${key} of type ${go}`,
    );
  }
}

function goKind(value: Json): string {
  if (isJsonArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' && !Number.isInteger(value)) return `number ${value}`;
  return typeof value === 'bigint' ? 'number' : typeof value;
}

function fromQuery(query: URLSearchParams): Raw {
  return {
    dryRun: query.getAll('dryRun'),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: booleanParameter(query, 'orphanDependents'),
    gracePeriodSeconds: integerParameter(query, 'gracePeriodSeconds'),
  };
}

function strings(value: Json | undefined): string[] {
  return isJsonArray(value) ? value.map(String) : [];
}

function policyErrors(policy: Json | undefined, orphan: Json | undefined): FieldError[] {
  if (typeof policy !== 'string') return [];
  const errors: FieldError[] = [];
  if (typeof orphan === 'boolean') {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    errors.push({ type: 'Invalid', field: 'propagationPolicy', value: policy, detail });
  }
  if (!POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  return errors;
}
