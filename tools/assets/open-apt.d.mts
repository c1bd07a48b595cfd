/** Runs `apt-get` with these arguments, and gives what it printed. */
export type Apt = (...args: readonly string[]) => string;

/** apt on a suite of Debian in the folder `work`, with current lists of packages; `cwd`: where it downloads to. */
export declare function openApt(
  work: string,
  suite: string,
  options?: { readonly architectures?: readonly string[]; readonly cwd?: string },
): Apt;
