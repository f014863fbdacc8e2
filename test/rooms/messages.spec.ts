import { runRoom } from './room';

runRoom('messages');
