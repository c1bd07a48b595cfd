/** Name of a suite → its module and release. */
export declare const SUITES: Readonly<Record<string, { readonly module: string; readonly version: string }>>;
/** A package of a suite: its test binary, and the folder that it runs in. */
export type SuitePackage = { readonly name: string; readonly binary: string; readonly folder: string };
/** The packages of one suite; undefined when the binary of one of them is missing. */
export declare function findSuite(name: string, env?: NodeJS.ProcessEnv): readonly SuitePackage[] | undefined;
