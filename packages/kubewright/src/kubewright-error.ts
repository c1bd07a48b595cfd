/** What a command can fail with. Each message is one line that says what to do. */
export type KubewrightErrorCode =
  | 'Usage'
  | 'NotFound'
  | 'Unreachable'
  | 'Refused'
  | 'Port'
  | 'File'
  | 'Failed'
  /** By a signal. */
  | 'Interrupted';

/** The one error class of this package. */
export class KubewrightError extends Error {
  readonly code: KubewrightErrorCode;
  readonly retryable: boolean;
  /** Of the process. */
  readonly exitCode: number;

  constructor(
    code: KubewrightErrorCode,
    message: string,
    options: ErrorOptions & { readonly exitCode?: number } = {},
  ) {
    super(message, options);
    this.name = 'KubewrightError';
    this.code = code;
    this.retryable = code === 'Unreachable';
    this.exitCode = options.exitCode ?? 1;
  }
}
