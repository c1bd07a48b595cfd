import type { Json } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { badRequest, invalid } from '../api-server-error.ts';
import { integerFault } from './integer-fault.ts';

const META_GROUP = 'meta.k8s.io';
const MANAGER_LIMIT = 128;

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** `CreateOptions`, `UpdateOptions` and `PatchOptions`: the query of a write. */
export type WriteOptions = {
  readonly dryRun: boolean;
  /** As sent, or the client's name from its User-Agent. */
  readonly manager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
};

/** Reads and checks the query of a write; `kind` names the options in errors. */
export function writeOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: URLSearchParams,
  userAgent: string | undefined,
  apply = false,
): WriteOptions {
  const manager = query.get('fieldManager') ?? '';
  const errors = [
    ...(kind === 'PatchOptions' ? forceErrors(query, manager, apply) : []),
    ...managerErrors(manager),
    ...dryRunErrors(query.getAll('dryRun')),
    ...validationErrors(query.get('fieldValidation') ?? ''),
  ];
  if (errors.length > 0) throw invalid({ group: META_GROUP, kind }, '', errors);
  return {
    dryRun: query.has('dryRun') && query.get('dryRun') !== '',
    manager: manager === '' ? managerFromUserAgent(userAgent) : manager,
    fieldValidation: (query.get('fieldValidation') || 'Warn') as FieldValidation,
    force: booleanParameter(query, 'force') ?? false,
  };
}

/** What a client that names no manager is recorded as: its program's name. */
function managerFromUserAgent(userAgent = ''): string {
  const [name = ''] = userAgent.split('/');
  // As in the real server: over the limit the name is cut by printable code points, not rejected.
  let manager = '';
  for (const char of name) {
    if (Buffer.byteLength(manager) + Buffer.byteLength(char) > MANAGER_LIMIT) break;
    if (isPrintable(char)) manager += char;
  }
  return manager;
}

function forceErrors(query: URLSearchParams, manager: string, apply: boolean): FieldError[] {
  if (!apply) {
    if (!query.has('force')) return [];
    return [{ type: 'Forbidden', field: 'force', detail: 'may not be specified for non-apply patch' }];
  }
  return manager === ''
    ? [{ type: 'Required', field: 'fieldManager', detail: 'is required for apply patch' }]
    : [];
}

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) {
    const detail = `may not be more than ${MANAGER_LIMIT} bytes`;
    errors.push({ type: 'TooLong', field: 'fieldManager', value: '', detail });
  }
  let position = 0;
  for (const char of manager) {
    if (!isPrintable(char)) {
      const detail = `invalid character ${codePointName(char)} (at position ${position})`;
      errors.push({ type: 'Invalid', field: 'fieldManager', value: manager, detail });
    }
    position += Buffer.byteLength(char);
  }
  return errors;
}

/** Go's `unicode.IsPrint`: no controls, and of the spaces only the ASCII one. */
function isPrintable(char: string): boolean {
  return char === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char);
}

function codePointName(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The dry-run directive of options, in the query or in the body. */
export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  return [notSupported('dryRun', [...values], ['All'])];
}

function validationErrors(value: string): FieldError[] {
  if (['', 'Ignore', 'Warn', 'Strict'].includes(value)) return [];
  return [notSupported('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn'])];
}

export function notSupported(field: string, value: Json, supported: readonly string[]): FieldError {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  return { type: 'NotSupported', field, value, detail: `supported values: ${list}` };
}

/** A boolean of the query as Kubernetes reads it: present and not `false` or `0` is true. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value.toLowerCase() !== 'false' && value !== '0';
}

/** A whole number of the query. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const fault = integerFault('ParseInt', value);
  if (fault !== undefined) throw badRequest(fault);
  return Number(value);
}
