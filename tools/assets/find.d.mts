type Environment = Readonly<Record<string, string | undefined>>;

/** The release that the goldens were recorded on. */
export declare const KUBERNETES_VERSION: string;
/** Where built binaries are kept, outside the repository. */
export declare function cacheDirectory(env?: Environment): string;
/** True when the folder holds executables of these names. */
export declare function holds(directory: string, names: readonly string[]): boolean;
/** The folder with etcd and kube-apiserver: KUBEBUILDER_ASSETS, else the cache. */
export declare function findServers(env?: Environment): string | undefined;
/** The first executable of that name on the PATH. */
export declare function onPath(name: string, env?: Environment): string | undefined;
/** kubectl from the PATH, else beside the servers. */
export declare function findKubectl(env?: Environment): string | undefined;
