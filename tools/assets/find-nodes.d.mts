/** The root file system of nodes: containerd, runc, CRIU and what they need. Nodes never write to it. */
export function nodeRoot(env?: NodeJS.ProcessEnv): string;
/** Why this machine can run no nodes; undefined: it can, once the assets are there. */
export function whyNoNodes(env?: NodeJS.ProcessEnv): string | undefined;
