import { canonicalTime, errorText } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { badRequest } from '../api-server-error.ts';
import { booleanParameter, integerParameter } from '../rest/write-options.ts';

/** What is wanted of a container's log (`v1 PodLogOptions`). */
export type PodLogOptions = {
  readonly container: string;
  /** The kubelet's certificate is not to be verified. */
  readonly insecure: boolean;
  /** The kubelet's query, as Go writes it: sorted by name. */
  readonly query: string;
};

/** Reads the options of a request. Throws 400 where they cannot be parsed, else returns their errors. */
export function podLogOptions(query: URLSearchParams): {
  readonly options: PodLogOptions;
  readonly errors: readonly FieldError[];
} {
  const numbers = {
    limitBytes: integer(query, 'limitBytes'),
    sinceSeconds: integer(query, 'sinceSeconds'),
    tailLines: integer(query, 'tailLines'),
  };
  const sinceTime = time(query, 'sinceTime');
  const flag = (name: string): 'true' | undefined => (booleanParameter(query, name) ? 'true' : undefined);
  const requested = {
    follow: flag('follow'),
    limitBytes: numbers.limitBytes,
    previous: flag('previous'),
    sinceSeconds: numbers.sinceSeconds,
    sinceTime,
    tailLines: numbers.tailLines,
    timestamps: flag('timestamps'),
  };
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(requested))
    if (value !== undefined) parameters.set(name, String(value));
  const options = {
    container: query.get('container') ?? '',
    insecure: booleanParameter(query, 'insecureSkipTLSVerifyBackend') === true,
    query: parameters.toString(),
  };
  return { options, errors: errorsOf({ ...numbers, sinceTime, stream: query.get('stream') ?? undefined }) };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  if (query.get(name) === '') throw badRequest('strconv.ParseInt: parsing "": invalid syntax');
  return integerParameter(query, name);
}

function time(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === '' || text === 'null') return undefined;
  try {
    return canonicalTime(text) ?? undefined;
  } catch (error) {
    throw badRequest(errorText(error));
  }
}

type Values = Readonly<Partial<Record<'limitBytes' | 'sinceSeconds' | 'tailLines', number | undefined>>> & {
  readonly sinceTime: string | undefined;
  readonly stream: string | undefined;
};

function errorsOf({ limitBytes, sinceSeconds, sinceTime, stream, tailLines }: Values): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0)
    errors.push(fieldErrors.invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(fieldErrors.invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    errors.push(fieldErrors.forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(fieldErrors.invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  // Streams apart are an alpha feature.
  if (stream !== undefined) errors.push(fieldErrors.forbidden('stream', 'may not be specified'));
  return errors;
}
