import type { NfrDetail } from '../api.ts';
import type { Enforced } from './enforce.ts';
import type { FunctionNfr } from './function-nfr.ts';

/** What is known of a function's load, what is enforced because of it, and what its status says of both. */
export type DecidedFunction = {
  readonly nfr: FunctionNfr;
  readonly enforced: Enforced;
  readonly detail: NfrDetail;
};

/** A condition of the status about loads. */
export type NfrCondition = { readonly is: boolean; readonly reason: string; readonly message: string };
