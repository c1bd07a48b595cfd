/** `path` is missing where that Node is not to be had here; `problem` says why. */
export type NodeVersion = { readonly version: string; readonly path?: string; readonly problem?: string };

export declare const NEWEST: string;
/** The Node that runs the tests: the only one that `npm test` takes. */
export declare const OWN_NODE: NodeVersion;
/** One of each other release line, for `npm run test:long`: from the cache, or else from npm. */
export declare function findOtherNodes(): Promise<readonly NodeVersion[]>;
export declare function findNode(version: string): Promise<NodeVersion>;
/** The package, with its version, that holds that Node for this platform. */
export declare function nodePackage(version: string): string;
/** What a user's shell has: nothing that vitest or npm, which run the tests, have set for programs below them. */
export declare function userEnvironment(): NodeJS.ProcessEnv;
