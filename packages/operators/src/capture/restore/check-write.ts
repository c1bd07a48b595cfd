import { ApiError } from '@kubewright/client';

/** What the server says of a write that it was sent as a dry run. */
export type CheckedWrite =
  | { readonly type: 'accepted' }
  /** It cannot be known before the write. */
  | { readonly type: 'unchecked'; readonly message: string }
  | {
      readonly type: 'rejected';
      readonly message: string;
      /** The name of what has to be there first. */
      readonly missing?: string;
    };

/** A webhook with side effects is not called for a dry run; the server rejects the dry run instead. */
const NO_DRY_RUN = /admission webhook "[^"]*" does not support dry run/;
/** As in `serviceaccount "robot" not found`. */
const MISSING = /"([^"]+)" not found/;
/** Of these nothing follows for the write itself. */
const PASSING: ReadonlySet<number> = new Set([0, 401, 429, 503, 504]);

/** Sends a write as a dry run. Rejects where there is no response, or one that may be another one a moment later. */
export async function checkWrite(dryRun: () => Promise<unknown>): Promise<CheckedWrite> {
  try {
    await dryRun();
    return { type: 'accepted' };
  } catch (error) {
    if (!(error instanceof ApiError) || PASSING.has(error.code)) throw error;
    const { message } = error;
    if (NO_DRY_RUN.test(message)) return { type: 'unchecked', message: `not checked: ${message}` };
    const missing = MISSING.exec(message)?.[1];
    const rejected = { type: 'rejected', message: `the server rejects it: ${message}` } as const;
    return missing === undefined ? rejected : { ...rejected, missing };
  }
}
