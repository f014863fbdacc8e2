/** Conversation id → scroll position in pixels; none: at the end. In memory only, so a reload starts at the end. */
const places = new Map<string, number>();

export const scrollPlaces = {
  get: (conversationId: string): number | undefined => places.get(conversationId),

  keep(conversationId: string, top: number | undefined): void {
    if (top === undefined) places.delete(conversationId);
    else places.set(conversationId, top);
  },
};
