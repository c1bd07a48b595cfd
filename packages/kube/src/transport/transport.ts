/**
 * The shape of one API call, shared by its caller (`client`) and its server (`apiserver`), so that the two can
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

/** Sends API requests. Rejects only without a response (a broken connection); a rejected request has a response. */
export type Transport = {
  request(request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
};
