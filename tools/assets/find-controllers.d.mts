type Environment = Readonly<Record<string, string | undefined>>;

/** The paths of the programs of one controller, and of the folder of its definitions; undefined when one of them is missing. */
export declare function findController(
  name: string,
  env?: Environment,
):
  | {
      readonly current: string;
      readonly previous: string | undefined;
      readonly planted: string | undefined;
      readonly definitions: string;
    }
  | undefined;
/** Name of a controller → its module and releases. */
export declare const CONTROLLERS: Readonly<
  Record<string, { readonly module: string; readonly versions: readonly string[] }>
>;
