/** Where a conversation was left: pixels from the top; undefined at its end. In memory: a reload begins at the end. */
const places = new Map<string, number>();

export const scrollPlaces = {
  get: (conversationId: string): number | undefined => places.get(conversationId),

  keep(conversationId: string, top: number | undefined): void {
    if (top === undefined) places.delete(conversationId);
    else places.set(conversationId, top);
  },
};
