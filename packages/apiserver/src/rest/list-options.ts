import { errorText, type KubeObject } from '@kubewright/kube';
import { matchesLabels, parseFieldSelector, parseLabelSelector } from '@kubewright/kube/selectors';
import type { FieldError } from '@kubewright/kube/validation';
import { inVersion } from '../model/in-version.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';
import { badRequest, invalid } from '../api-server-error.ts';
import type { ResourceRequest } from './resource-request.ts';
import { booleanParameter, integerParameter, notSupported } from './write-options.ts';
import { nameOf, namespaceOf } from '../objects/name-of.ts';

/** `ListOptions` as read from a query. */
export type ListOptions = {
  /** Undefined: everything matches. */
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  /** Set when the field selector (or the path) selects one object by name. */
  readonly name: string | undefined;
  readonly limit: number;
  readonly continueToken: string;
  /** As sent: empty, `0` or a revision. */
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  readonly timeoutSeconds: number;
};

export function listOptions(request: ResourceRequest, watch: boolean): ListOptions {
  const { query } = request;
  const options = defaulted(query, watch);
  const errors = watch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  const fields = fieldMatcher(request);
  const labels = labelMatcher(query.get('labelSelector') ?? '');
  return { ...options, name: fields.name, matches: both(labels, fields.matches) };
}

type Plain = Omit<ListOptions, 'matches' | 'name'>;

function defaulted(query: URLSearchParams, watch: boolean): Plain {
  const text = (name: string): string => query.get(name) ?? '';
  const resourceVersion = text('resourceVersion');
  const resourceVersionMatch = text('resourceVersionMatch');
  const sendInitialEvents = booleanParameter(query, 'sendInitialEvents');
  const plain: Plain = {
    limit: integerParameter(query, 'limit') ?? 0,
    continueToken: text('continue'),
    resourceVersion,
    resourceVersionMatch,
    allowWatchBookmarks: booleanParameter(query, 'allowWatchBookmarks') ?? false,
    sendInitialEvents,
    timeoutSeconds: integerParameter(query, 'timeoutSeconds') ?? 0,
  };
  // A watch without resourceVersion begins with the current objects, as it always has.
  const legacy = watch && (resourceVersion === '' || resourceVersion === '0');
  if (!legacy || sendInitialEvents !== undefined || resourceVersionMatch !== '') return plain;
  return { ...plain, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
}

function forbiddenMatch(detail: string): FieldError {
  return { type: 'Forbidden', field: 'resourceVersionMatch', detail };
}

function listErrors(options: Plain): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, continueToken, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(forbiddenMatch('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (continueToken !== '') {
      errors.push(forbiddenMatch('resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbiddenMatch('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push({
      type: 'Forbidden',
      field: 'sendInitialEvents',
      detail: 'sendInitialEvents is forbidden for list',
    });
  }
  return errors;
}

function watchErrors({ resourceVersionMatch: match, sendInitialEvents, continueToken }: Plain): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenMatch('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(
      forbiddenMatch('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') errors.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  if (continueToken !== '') {
    errors.push(forbiddenMatch('resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

type Matcher = ((object: KubeObject) => boolean) | undefined;

function both(a: Matcher, b: Matcher): Matcher {
  if (a === undefined || b === undefined) return a ?? b;
  return (object) => a(object) && b(object);
}

function labelMatcher(text: string): Matcher {
  if (text === '') return undefined;
  const selector = asBadRequest(() => parseLabelSelector(text));
  return ({ metadata }) => matchesLabels(selector, metadata.labels ?? {});
}

function fieldMatcher(request: ResourceRequest): { matches: Matcher; name: string | undefined } {
  const { definition, query, name } = request;
  const text = query.get('fieldSelector') ?? '';
  if (text === '') {
    return name === ''
      ? { matches: undefined, name: undefined }
      : { matches: ({ metadata }) => metadata.name === name, name };
  }
  const requirements = asBadRequest(() => parseFieldSelector(text));
  const checks = requirements.map(({ field, operator, value }) => {
    const read = fieldReader(definition, field);
    return operator === '!='
      ? (object: KubeObject) => read(object) !== value
      : (object: KubeObject) => read(object) === value;
  });
  const exact = requirements.find(
    ({ field, operator }) => field === 'metadata.name' && operator !== '!=',
  )?.value;
  if (name !== '' && exact !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return { matches: (object) => checks.every((check) => check(object)), name: exact };
}

function fieldReader(definition: ResourceDefinition, field: string): (object: KubeObject) => string {
  if (field === 'metadata.name') return nameOf;
  if (field === 'metadata.namespace') return namespaceOf;
  const more = definition.selectableFields ?? {};
  const read = Object.hasOwn(more, field) ? more[field] : undefined;
  if (read === undefined) throw badRequest(unknownFieldLabel(definition, field));
  // A version has fields of its own: what is stored in another one is converted first.
  return definition.conversion === undefined ? read : (object) => read(inVersion(object, definition));
}

function unknownFieldLabel({ builtIn, selectableFields }: ResourceDefinition, field: string): string {
  if (selectableFields !== undefined && builtIn) return `field label not supported: ${field}`;
  if (!builtIn) return `field label not supported: ${field}`;
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function asBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw badRequest(errorText(error));
  }
}
