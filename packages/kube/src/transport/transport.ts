/**
 * The shape of one API call, shared by who makes it (`client`) and who answers it (`apiserver`), so that the two can
 * be joined in one process without a socket. Types only: nothing here does I/O.
 */
export type ApiRequest = {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  /** Path with query, percent-encoded: `/api/v1/namespaces?limit=500`. */
  readonly path: string;
  /** Lower-case names. A header sent several times is an array. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | string;
  /** Aborting ends the call; a watch ends without an error. */
  readonly signal?: AbortSignal;
};

export type ApiResponse = {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Chunks of the body in order. A watch yields until it ends; breaking out of the loop cancels the call. */
  readonly body: AsyncIterable<Uint8Array>;
};

/** Answers API calls. Rejects only when no answer could be had (a broken connection); a refusal is an answer. */
export type Transport = {
  request(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
};
