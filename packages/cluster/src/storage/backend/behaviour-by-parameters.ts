import type { CsiCode } from './csi-error.ts';

export type BackendOperation =
  | 'CreateVolume'
  | 'DeleteVolume'
  | 'ExpandVolume'
  | 'CreateSnapshot'
  | 'DeleteSnapshot'
  | 'Attach'
  | 'Detach';

/** A call of the storage system. */
export type BackendCall = {
  readonly operation: BackendOperation;
  /** What is made, or the handle of what is there. */
  readonly name: string;
  /** 1 for the first call of this operation with this name. */
  readonly attempt: number;
  /** Of the class. */
  readonly parameters: Readonly<Record<string, string>>;
};

/** How the storage system takes a call. */
export type BackendResponse = {
  readonly delayMs?: number;
  readonly error?: { readonly code: CsiCode; readonly message: string };
  /** The call is carried out, and the response is lost all the same. */
  readonly lost?: boolean;
};

/** Parameters of a StorageClass or VolumeSnapshotClass by which the simulated storage fails or takes its time. */
export const PARAMETERS = {
  /** Which operation they are about, `CreateVolume` for one. Default: all that have the class's parameters. */
  operation: 'simulate-operation',
  /** How many calls fail before one succeeds; `always`. */
  failures: 'simulate-failures',
  /** With which code; default `Internal`. */
  code: 'simulate-code',
  message: 'simulate-message',
  /** Milliseconds that each call takes. */
  delay: 'simulate-delay-ms',
  /** Milliseconds after which a snapshot is ready to use. */
  ready: 'simulate-ready-ms',
} as const;

const CODES: readonly CsiCode[] = [
  'AlreadyExists',
  'DeadlineExceeded',
  'FailedPrecondition',
  'Internal',
  'InvalidArgument',
  'NotFound',
  'OutOfRange',
  'ResourceExhausted',
  'Unavailable',
];

/** What the parameters of its class say of a call. */
export function behaviourByParameters({ operation, attempt, parameters }: BackendCall): BackendResponse {
  const about = parameters[PARAMETERS.operation];
  if (about !== undefined && about !== operation) return {};
  const delayMs = milliseconds(parameters[PARAMETERS.delay]);
  const failures = parameters[PARAMETERS.failures] ?? '0';
  const fails = failures === 'always' || attempt <= milliseconds(failures);
  if (!fails) return { delayMs };
  const code = CODES.find((one) => one === parameters[PARAMETERS.code]) ?? 'Internal';
  return { delayMs, error: { code, message: parameters[PARAMETERS.message] ?? 'simulated failure' } };
}

/** A whole number that is not negative; anything else is 0. */
export function milliseconds(text: string | undefined): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
