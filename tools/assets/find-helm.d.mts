type Environment = Readonly<Record<string, string | undefined>>;

/** The paths of the programs of both major versions of Helm; undefined when one of them is missing. */
export declare function findHelm(
  env?: Environment,
): { readonly helm3: string; readonly helm4: string } | undefined;
/** Name of a program → its version, as `v4.3.1`. */
export declare const HELM_VERSIONS: { readonly helm3: string; readonly helm4: string };
