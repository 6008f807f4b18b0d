"""Pictures of what a level means, of histograms and of maps."""
