// One line per operator: the manager, the installer, the command line and the demo take them from here, in the order of
// their names.
export { ownership } from './ownership/operator.ts';
