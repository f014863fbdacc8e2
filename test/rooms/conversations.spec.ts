import { runRoom } from './room';

runRoom('conversations');
