/** The use that a push token is good for: to write on channels, to read them. */
export type Scope = "push" | "read";
