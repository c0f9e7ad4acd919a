/** Does nothing, so that its run time is what Node itself needs to start and stop. */
