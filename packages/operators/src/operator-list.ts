// One line per operator. The manager, the installer, the command line and the demo take them from here.
export { ownership } from './ownership/operator.ts';
