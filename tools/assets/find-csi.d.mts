type Environment = Readonly<Record<string, string | undefined>>;

/** Below the sidecars: the CustomResourceDefinitions of external-snapshotter. */
export declare const SNAPSHOT_CRDS: string;
/** The folder of kubernetes-csi's sidecars and the path of the host-path driver. */
export declare function findCsi(
  env?: Environment,
): { readonly directory: string; readonly driver: string } | undefined;
